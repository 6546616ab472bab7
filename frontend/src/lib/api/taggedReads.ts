import { onSessionChange } from '@/stores/auth';

interface TaggedRead {
  etag: string;
  body: unknown;
}

const taggedReads = new Map<string, TaggedRead>();

// What one subscriber has read is not kept for the next.
onSessionChange(() => taggedReads.clear());

/** The last response to a read, if the server gave it a tag. */
export function findTaggedRead(path: string): TaggedRead | undefined {
  return taggedReads.get(path);
}

/**
 * Keeps a read's decoded response with its tag, in memory only: the browser's own cache may not keep
 * what an account has, so it cannot ask whether that has changed.
 */
export function keepTaggedRead(path: string, response: Response, body: unknown): void {
  const etag = response.headers.get('ETag');
  if (etag === null) taggedReads.delete(path);
  else taggedReads.set(path, { etag, body });
}
