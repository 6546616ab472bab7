let offsetMs = 0;

/** Runs billing's clock this many seconds ahead of the device's; 0 but where a time machine moved it. */
export function setClockOffset(seconds: number): void {
  offsetMs = seconds * 1000;
}

/** Billing's present instant, which its dates are compared with. */
export function billingNow(): Date {
  return new Date(Date.now() + offsetMs);
}
