/** Longer than the first render takes, for browsers without idle callbacks. */
const IDLE_FALLBACK_MS = 3000;

/** The script cannot be undone, and a second copy would render a second widget. */
function isInjected(url: string): boolean {
  return [...document.scripts].some(({ src }) => src === url);
}

function injectScript(url: string): void {
  if (isInjected(url)) return;
  const script = document.createElement('script');
  script.async = true;
  script.src = url;
  document.head.append(script);
}

/** Calls back when the browser is idle. Returns a cancel function. */
function runWhenIdle(callback: () => void): () => void {
  // Safari has no idle callbacks.
  if (!('requestIdleCallback' in window)) {
    const timer = setTimeout(callback, IDLE_FALLBACK_MS);
    return () => clearTimeout(timer);
  }
  const handle = window.requestIdleCallback(callback);
  return () => window.cancelIdleCallback(handle);
}

/**
 * Loads the support widget's script once, after the page has loaded and the browser is idle.
 * Returns a cancel function. A failure is ignored, because nothing on the page needs the script.
 */
export function loadSupportScript(url: string): () => void {
  let cancel = () => {};
  const schedule = () => {
    cancel = runWhenIdle(() => injectScript(url));
  };
  if (document.readyState === 'complete') schedule();
  else window.addEventListener('load', schedule, { once: true });
  return () => {
    window.removeEventListener('load', schedule);
    cancel();
  };
}
