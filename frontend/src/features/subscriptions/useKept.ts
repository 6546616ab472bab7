import { useState } from 'react';

/** The newest value there was: what is shown stays while its successor is on the way. */
export function useKept<T>(value: T | undefined): T | undefined {
  const [kept, setKept] = useState(value);
  if (value !== undefined && value !== kept) setKept(value);
  return value ?? kept;
}
