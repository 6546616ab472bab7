/* Cardinal's script: begins a session at its API, and shows the issuer's page from there. */

const CENTINEL = new URL(document.currentScript.src).origin.replace('//songbird.', '//centinelapi.');

window.Cardinal = {
  setup: () => fetch(`${CENTINEL}/V1/Order/JWT/Init`).then((answer) => answer.json()),
  continue: (id) => openChallenge(`${CENTINEL}/V2/Cruise/StepUp/${encodeURIComponent(id)}`),
};
