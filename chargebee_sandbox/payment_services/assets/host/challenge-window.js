/* The window over the merchant's page in which a card's issuer authenticates the payer. */

const CHALLENGE_TIMEOUT_MS = 5 * 60 * 1000;
const DIALOG_STYLE =
  'width:min(30rem,calc(100vw - 2rem));height:min(38rem,calc(100vh - 2rem));margin:auto;padding:0;border:0;border-radius:12px;overflow:hidden';

/** Show a page in a frame until it says that the challenge has ended. Resolves to `ended`, `cancelled` or `timeout`. */
function openChallenge(address) {
  const { origin } = new URL(address);
  const dialog = document.createElement('dialog');
  dialog.style.cssText = DIALOG_STYLE;
  dialog.setAttribute('aria-label', 'Bank authentication');
  const frame = document.createElement('iframe');
  frame.title = 'Bank authentication';
  frame.allow = 'payment *; publickey-credentials-get *';
  frame.style.cssText = 'display:block;width:100%;height:100%;border:0';
  frame.src = `${address}?${new URLSearchParams({ parent: window.location.origin })}`;
  dialog.append(frame);
  return new Promise((resolve) => {
    const onMessage = (event) => {
      if (event.source === frame.contentWindow && event.origin === origin && event.data?.type === 'ended') finish('ended');
    };
    const finish = (outcome) => {
      clearTimeout(timer);
      window.removeEventListener('message', onMessage);
      // Closing gives the focus back.
      dialog.close();
      dialog.remove();
      resolve(outcome);
    };
    const timer = setTimeout(() => finish('timeout'), CHALLENGE_TIMEOUT_MS);
    dialog.addEventListener('cancel', () => finish('cancelled'));
    window.addEventListener('message', onMessage);
    document.body.append(dialog);
    dialog.showModal();
  });
}
