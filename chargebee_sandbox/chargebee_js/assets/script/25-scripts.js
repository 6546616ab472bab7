/**
 * Scripts of payment services, which this script adds to the page that embeds it. Each comes from an origin of its own:
 * `https://www.paypal.com` and so on; in the sandbox the names end in `.localhost` instead of `.com`.
 */

function serviceOrigin(name) {
  const { protocol, port } = new URL(PROVIDER);
  return `${protocol}//${name}.localhost${port && `:${port}`}`;
}

const injected = new Map();

/** Add a script to the page, once. It has the page's nonce, and hands it on to what it adds itself. */
function injectScript(url, cspNonce) {
  if (!injected.has(url)) injected.set(url, appendScript(url, cspNonce));
  return injected.get(url);
}

function appendScript(url, cspNonce) {
  return new Promise((resolve, reject) => {
    const script = document.createElement('script');
    if (cspNonce) {
      script.nonce = cspNonce;
      script.dataset.cspNonce = cspNonce;
    }
    script.src = url;
    script.onload = resolve;
    script.onerror = () => {
      injected.delete(url);
      reject(new CbError('scriptNotLoaded'));
    };
    document.head.append(script);
  });
}
