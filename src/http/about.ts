/** The description of an operation. The OpenAPI documents, `/docs` and the tables of docs/ are built from it. */
export interface About {
  /** The name of the operation in a generated client; no other operation of the two APIs has it. */
  readonly id: string;
  readonly summary: string;
  readonly description?: string;
  /** An example of a valid request body. */
  readonly example?: unknown;
  /** The media type of a request body that is not JSON. */
  readonly takes?: readonly string[];
  /** The media type of an answer that is not JSON, and the status of an answer without a schema. */
  readonly gives?: { readonly type?: string; readonly status?: number };
  /** `true` if the operation needs no key and no token, wherever the server listens. */
  readonly isOpen?: true;
}
