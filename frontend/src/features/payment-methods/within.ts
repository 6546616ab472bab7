/** What has not come about in time. */
class TooSlow extends Error {
  constructor() {
    super('Our billing provider does not answer. Check your connection and try again.');
    this.name = 'TooSlow';
  }
}

/**
 * Waits for something of the provider's for so long and no longer.
 * @throws {TooSlow}
 */
export async function within<T>(ms: number, promise: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new TooSlow()), ms);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
