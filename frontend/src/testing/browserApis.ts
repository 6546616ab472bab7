/** The browser APIs that jsdom lacks and the app uses. */

function installDialog(): void {
  const dialog = HTMLDialogElement.prototype;
  const openers = new WeakMap<HTMLDialogElement, Element | null>();
  dialog.showModal = function showModal() {
    openers.set(this, document.activeElement);
    this.setAttribute('open', '');
    this.querySelector<HTMLElement>('button, [href], input, select')?.focus();
  };
  dialog.close = function close() {
    this.removeAttribute('open');
    const opener = openers.get(this);
    if (opener instanceof HTMLElement) opener.focus();
    this.dispatchEvent(new Event('close'));
  };
  document.addEventListener('keydown', (event) => {
    const open = document.querySelector('dialog[open]');
    if (event.key === 'Escape' && !event.defaultPrevented)
      open?.dispatchEvent(new Event('cancel', { cancelable: true }));
  });
}

function setPopoverState(state: 'open' | 'closed', popover: HTMLElement): void {
  popover.toggleAttribute('data-open', state === 'open');
  popover.style.display = state === 'open' ? 'block' : 'none';
  popover.dispatchEvent(Object.assign(new Event('toggle'), { newState: state }));
}

function installPopover(): void {
  HTMLElement.prototype.showPopover = function showPopover() {
    setPopoverState('open', this);
  };
  HTMLElement.prototype.hidePopover = function hidePopover() {
    setPopoverState('closed', this);
  };
  document.addEventListener('click', (event) => {
    const button = (event.target as Element).closest('[popovertarget]');
    const popover = document.getElementById(button?.getAttribute('popovertarget') ?? '');
    if (popover) setPopoverState(popover.hasAttribute('data-open') ? 'closed' : 'open', popover);
  });
}

function installMatchMedia(): void {
  window.matchMedia = (media) =>
    Object.assign(new EventTarget(), {
      media,
      matches: false,
      onchange: null,
      addListener: () => undefined,
      removeListener: () => undefined,
    }) as MediaQueryList;
}

/**
 * Adds dialogs, popovers and media queries to jsdom, with a wide window that does not scroll. Once:
 * the test files of a worker share a window.
 */
export function installBrowserApis(): void {
  if ('showPopover' in HTMLElement.prototype) return;
  window.scrollTo = () => undefined;
  installDialog();
  installPopover();
  installMatchMedia();
}
