import { useState } from 'react';
import { useSearchParams } from 'react-router-dom';

interface Draft {
  /** The address it was made on: once that has changed, the address knows better. */
  over: string;
  ids: readonly string[];
}

/**
 * The ids that the address names under a parameter, and the way to name others. The router takes a new
 * address only when it has the time; until then what was last named counts, so that a box is checked
 * when it is pressed, and two presses in a row are two.
 */
export function useNamed(parameter: string): [readonly string[], (ids: readonly string[]) => void] {
  const [query, setQuery] = useSearchParams();
  const address = query.toString();
  const [draft, setDraft] = useState<Draft | null>(null);
  const name = (ids: readonly string[]) => {
    setDraft({ over: address, ids });
    const changed = new URLSearchParams(query);
    changed.delete(parameter);
    for (const id of ids) changed.append(parameter, id);
    setQuery(changed, { replace: true });
  };
  const named = [...new Set(query.getAll(parameter))].filter((id) => id !== '');
  return [draft?.over === address ? draft.ids : named, name];
}
