import { onlineManager, queryOptions, useQuery } from '@tanstack/react-query';
import type { ComponentType } from 'react';

import { loadAnew } from '@/lib/documents';
import { UNREACHABLE_MESSAGE } from '@/lib/errors';
import { Card } from '@/ui/Card';
import { LoaderOverlay } from '@/ui/LoaderOverlay';
import { Page } from '@/ui/Page';
import { PageHeading } from '@/ui/PageHeading';
import { ErrorState } from '@/ui/States';

type Load = () => Promise<{ default: ComponentType }>;

/** How the file of a screen is fetched: once, and again only where it did not come. */
export function screenOptions(name: string, load: Load) {
  return queryOptions({
    queryKey: ['screen', name],
    queryFn: load,
    staleTime: 'static',
    gcTime: Number.POSITIVE_INFINITY,
    structuralSharing: false,
  });
}

/**
 * A screen in a file of its own, fetched when first needed, under the 'Loading' overlay. Where the file
 * cannot be had, that is said in the screen's place, and it can be asked for again.
 *
 * React's own `lazy` would keep its fallback up for 300 ms each time, and show it for a file that is there.
 */
export function lazyScreen(file: ReturnType<typeof screenOptions>): ComponentType {
  return function LazyScreen() {
    const { data, error, isFetching, refetch } = useQuery(file);
    if (data) return <data.default />;
    if (isFetching || error === null) return <LoaderOverlay />;
    if (!isMissingFile(error)) throw error;
    // A connection that is there and a file that is not: a newer version of the app has other files.
    return <ScreenMissing onRetry={() => (onlineManager.isOnline() ? loadAnew() : refetch())} />;
  };
}

/** What the loaders of scripts and of style sheets call a file that did not come. */
function isMissingFile(error: unknown): boolean {
  const { name, code } = error as { name?: unknown; code?: unknown };
  return name === 'ChunkLoadError' || code === 'CSS_CHUNK_LOAD_FAILED';
}

function ScreenMissing({ onRetry }: { onRetry: () => void }) {
  return (
    <Page>
      <PageHeading>This page could not be opened</PageHeading>
      <Card>
        <ErrorState message={UNREACHABLE_MESSAGE} onRetry={onRetry} />
      </Card>
    </Page>
  );
}
