/** Thrown when the provider takes too long. */
class TimeoutError extends Error {
  constructor() {
    super('Our billing provider isn’t responding. Check your connection and try again.');
    this.name = 'TooSlow';
  }
}

/**
 * Limits how long to wait for the provider.
 * @throws {TimeoutError}
 */
export async function withTimeout<T>(ms: number, promise: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new TimeoutError()), ms);
  });
  try {
    return await Promise.race([promise, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
