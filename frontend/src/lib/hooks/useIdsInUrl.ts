import { useState } from 'react';
import { useSearchParams } from 'react-router-dom';

interface IdsDraft {
  /** The query string it was made on. Once that has changed, the draft is obsolete. */
  basedOn: string;
  ids: readonly string[];
}

/**
 * The ids in a repeated query parameter, and a setter. The router updates the URL in a transition;
 * until then a local draft counts, so that a checkbox reacts at once and two quick clicks both
 * count.
 */
export function useIdsInUrl(
  parameter: string,
): [readonly string[], (ids: readonly string[]) => void] {
  const [query, setQuery] = useSearchParams();
  const address = query.toString();
  const [draft, setDraft] = useState<IdsDraft | null>(null);
  const setIds = (ids: readonly string[]) => {
    setDraft({ basedOn: address, ids });
    const changed = new URLSearchParams(query);
    changed.delete(parameter);
    for (const id of ids) changed.append(parameter, id);
    setQuery(changed, { replace: true });
  };
  const idsInUrl = [...new Set(query.getAll(parameter))].filter((id) => id !== '');
  return [draft?.basedOn === address ? draft.ids : idsInUrl, setIds];
}
