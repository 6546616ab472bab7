/** The line to the page that embeds this frame: to its origin only, and from its window and origin only. */
export class Link {
  constructor(handlers) {
    this.origin = document.documentElement.dataset.parent;
    window.addEventListener('message', (event) => {
      if (event.source !== window.parent || event.origin !== this.origin) return;
      const { type, ...data } = event.data ?? {};
      if (Object.hasOwn(handlers, type)) handlers[type](data);
    });
  }

  send(type, data = {}) {
    window.parent.postMessage({ type, ...data }, this.origin);
  }
}

/** Send JSON to an address of this origin. Gives its answer, or rejects with what the page is to be told. */
export async function post(path, body) {
  const answer = await fetch(path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  const said = await answer.json();
  if (answer.ok) return said;
  throw { type: 'ApiError', code: said.error_code, name: said.api_error_code, message: said.message };
}

/** What went wrong, in a form that may be sent to the page. */
export function told(error) {
  const { type = 'ClientError', code = 'unknownError', name = code, message } = error;
  return { type, code, name, message: message || 'Something went wrong.' };
}
