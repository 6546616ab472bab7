import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';

import { siteOptions } from '@/lib/api/queries';
import { loadChargebee } from '@/lib/chargebee/loadChargebee';
import type { ChargebeeInstance } from '@/lib/chargebee/types';
import { useChargebeeStore } from '@/stores/chargebee';

interface ProviderScript {
  /** Null until the script has loaded. */
  instance: ChargebeeInstance | null;
  isFailed: boolean;
  retry: () => void;
}

/** Loads the provider's script when a screen needs it. */
export function useChargebee(): ProviderScript {
  const site = useQuery(siteOptions);
  const { status, started } = useChargebeeStore();
  useEffect(() => {
    if (site.data && useChargebeeStore.getState().status === 'idle') loadChargebee(site.data);
  }, [site.data]);
  return {
    instance: (status === 'ready' && started?.instance) || null,
    isFailed: status === 'failed' || (site.isError && !site.data),
    retry: () => {
      if (site.data) loadChargebee(site.data);
      else void site.refetch();
    },
  };
}
