/** Longer than the first screen takes to be drawn, for browsers that do not tell when they are idle. */
const PATIENCE_MS = 3000;

/** Once it has run there is no undoing it, and a second copy would draw a second widget. */
function isThere(url: string): boolean {
  return [...document.scripts].some(({ src }) => src === url);
}

function load(url: string): void {
  if (isThere(url)) return;
  const script = document.createElement('script');
  script.async = true;
  script.src = url;
  document.head.append(script);
}

/** Calls back when the browser has nothing better to do; returns how to call that off. */
function whenIdle(callback: () => void): () => void {
  // Safari has no such callback.
  if (!('requestIdleCallback' in window)) {
    const timer = setTimeout(callback, PATIENCE_MS);
    return () => clearTimeout(timer);
  }
  const handle = window.requestIdleCallback(callback);
  return () => window.cancelIdleCallback(handle);
}

/**
 * Loads the support widget's script once, after the page is there and the browser idle; returns how to
 * call that off. A script that cannot be loaded is done without: nothing on the page needs it.
 */
export function loadWhenIdle(url: string): () => void {
  let cancel = () => {};
  const start = () => {
    cancel = whenIdle(() => load(url));
  };
  if (document.readyState === 'complete') start();
  else window.addEventListener('load', start, { once: true });
  return () => {
    window.removeEventListener('load', start);
    cancel();
  };
}
