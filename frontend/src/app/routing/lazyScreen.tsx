import { onlineManager, queryOptions, useQuery } from '@tanstack/react-query';
import type { ComponentType } from 'react';
import { UNREACHABLE_MESSAGE } from '@/lib/api/errors';
import { READ_REPEATS } from '@/lib/api/queryClient';
import { reloadPage } from '@/lib/page/pageLoads';
import { ErrorState } from '@/ui/feedback/ErrorState';
import { Card } from '@/ui/layout/Card';
import { Page } from '@/ui/layout/Page';
import { PageHeading } from '@/ui/layout/PageHeading';
import { LoaderOverlay } from '@/ui/loading/LoaderOverlay';

type LoadScreenFile = () => Promise<{ default: ComponentType }>;

/**
 * The query for a screen's chunk: fetched once; after a failure again when the connection returns.
 *
 * While online it repeats a failed request as reads do: the first request after the connection
 * returns often fails too.
 */
export function screenFileOptions(name: string, load: LoadScreenFile) {
  return queryOptions({
    queryKey: ['screen', name],
    queryFn: load,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: Number.POSITIVE_INFINITY,
    structuralSharing: false,
    retry: (failures, error) =>
      isMissingFile(error) && onlineManager.isOnline() && failures < READ_REPEATS,
  });
}

/**
 * A screen in a chunk of its own, fetched on first use under the 'Loading' overlay. If the chunk
 * fails to load, an error with a retry button replaces the screen.
 *
 * React's `lazy` would show its fallback for at least 300 ms, even for a chunk that is loaded.
 */
export function lazyScreen(file: ReturnType<typeof screenFileOptions>): ComponentType {
  return function LazyScreen() {
    const { data, error, isFetching, refetch } = useQuery(file);
    if (data) return <data.default />;
    if (isFetching || error === null) return <LoaderOverlay />;
    if (!isMissingFile(error)) throw error;
    // If the browser is online, the chunk is probably gone because a newer version was deployed.
    return <ScreenMissing onRetry={() => (onlineManager.isOnline() ? reloadPage() : refetch())} />;
  };
}

/** The names that webpack's script and style sheet loaders give their errors. */
function isMissingFile(error: unknown): boolean {
  const { name, code } = error as { name?: unknown; code?: unknown };
  return name === 'ChunkLoadError' || code === 'CSS_CHUNK_LOAD_FAILED';
}

function ScreenMissing({ onRetry }: { onRetry: () => void }) {
  return (
    <Page>
      <PageHeading>We couldn’t open this page</PageHeading>
      <Card>
        <ErrorState message={UNREACHABLE_MESSAGE} onRetry={onRetry} />
      </Card>
    </Page>
  );
}
