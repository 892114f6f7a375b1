/** Returns the variables by which SDKs of providers find the server at a URL (docs/providers.md). */
export function providerVariables(url: string): Readonly<Record<string, string>> {
  const ses = `${url}/providers/ses`;
  return {
    // Its SDK for Go needs the slash at the end, and no other minds it.
    RESEND_BASE_URL: `${url}/providers/resend/`,
    // The one for Python reads this name.
    RESEND_API_URL: `${url}/providers/resend`,
    AWS_ENDPOINT_URL_SES: ses,
    AWS_ENDPOINT_URL_SESV2: ses,
    AWS_ENDPOINT_URL_SNS: `${url}/providers/sns`,
  };
}
