/** PayPal's page: closing the window without a decision cancels, and after a decision the window closes itself. */

const form = document.querySelector('form');
let answered = false;

if (form) {
  form.addEventListener('submit', () => {
    answered = true;
  });
  window.addEventListener('pagehide', () => {
    if (!answered) navigator.sendBeacon(location.pathname, new URLSearchParams({ decision: 'cancel' }));
  });
} else {
  window.close();
}
