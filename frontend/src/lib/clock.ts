let offsetMs = 0;

/**
 * Sets billing's clock ahead of the device's by some seconds; 0 except on a test site with a moved
 * clock.
 */
export function setClockOffset(seconds: number): void {
  offsetMs = seconds * 1000;
}

/** The current time by billing's clock, to compare billing dates with. */
export function billingNow(): Date {
  return new Date(Date.now() + offsetMs);
}
