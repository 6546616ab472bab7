import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';

import { siteOptions } from '@/lib/api/queries';
import type { ChargebeeInstance } from '@/lib/chargebee';
import { loadChargebee } from '@/lib/chargebeeScript';
import { useChargebeeStore } from '@/stores/chargebee';

interface Provider {
  /** Null until the script is there. */
  instance: ChargebeeInstance | null;
  isFailed: boolean;
  retry: () => void;
}

/** The provider's script, asked for as soon as a screen needs it. */
export function useChargebee(): Provider {
  const site = useQuery(siteOptions);
  const { status, instance } = useChargebeeStore();
  useEffect(() => {
    if (site.data && useChargebeeStore.getState().status === 'idle') loadChargebee(site.data);
  }, [site.data]);
  return {
    instance: status === 'ready' ? instance : null,
    isFailed: status === 'failed' || (site.isError && !site.data),
    retry: () => {
      if (site.data) loadChargebee(site.data);
      else void site.refetch();
    },
  };
}
