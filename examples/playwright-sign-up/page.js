/** Returns a page with a form. The field `email` is empty, the field `email=a@b.c` has a value. */
export function page(title, fields = '', action = '', more = '') {
  const inputs = fields
    .split(' ')
    .filter(Boolean)
    .map((field) => {
      const [name, value] = field.split('=');
      return value === undefined
        ? `<label>${name} <input name="${name}"></label>`
        : `<input type="hidden" name="${name}" value="${value}">`;
    });
  const form =
    action === '' ? '' : `<form method="post" action="${action}">${inputs.join('')}<button>Continue</button></form>`;
  return `<!doctype html><title>${title}</title><h1>${title}</h1>${form}${more}`;
}
