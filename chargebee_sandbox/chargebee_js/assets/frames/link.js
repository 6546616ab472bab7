/** The messages between this frame and the page that embeds it, limited to that window and origin. */
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

/** POST JSON to a path of this origin. Returns the answer, or rejects with an error for the page. */
export async function post(path, body) {
  const answer = await fetch(path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  const payload = await answer.json();
  if (answer.ok) return payload;
  throw { type: 'ApiError', code: payload.error_code, name: payload.api_error_code, message: payload.message };
}

/** Return an error as a plain object, which can be posted to the page. */
export function describeError(error) {
  const { type = 'ClientError', code = 'unknownError', name = code, message } = error;
  return { type, code, name, message: message || 'Something went wrong.' };
}
