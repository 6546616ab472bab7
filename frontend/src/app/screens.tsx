import { onlineManager } from '@tanstack/react-query';
import { type ComponentType, lazy, Suspense, useState } from 'react';
import { ErrorBoundary, type FallbackProps } from 'react-error-boundary';

import { loadAnew } from '@/lib/documents';
import { UNREACHABLE_MESSAGE } from '@/lib/errors';
import { Card } from '@/ui/Card';
import { LoaderOverlay } from '@/ui/LoaderOverlay';
import { Page } from '@/ui/Page';
import { PageHeading } from '@/ui/PageHeading';
import { ErrorState } from '@/ui/States';

type Load = () => Promise<{ default: ComponentType }>;

/**
 * A screen in a file of its own, fetched when first needed, under the 'Loading' overlay. Where the file
 * cannot be had, that is said in the screen's place, and it can be asked for again.
 */
export function lazyScreen(load: Load): ComponentType {
  let latest = lazy(load);
  return function LazyScreen() {
    const [Screen, setScreen] = useState(() => latest);
    // What failed once would fail for ever.
    const renew = () => {
      latest = lazy(load);
    };
    const askAgain = () => {
      // A connection that is there and a file that is not: a newer version of the app has other files.
      if (onlineManager.isOnline()) loadAnew();
      else setScreen(() => latest);
    };
    return (
      <ErrorBoundary FallbackComponent={ScreenMissing} onError={renew} onReset={askAgain}>
        <Suspense fallback={<LoaderOverlay />}>
          <Screen />
        </Suspense>
      </ErrorBoundary>
    );
  };
}

/** What the loaders of scripts and of style sheets call a file that did not come. */
function isMissingFile(error: unknown): boolean {
  const { name, code } = error as { name?: unknown; code?: unknown };
  return name === 'ChunkLoadError' || code === 'CSS_CHUNK_LOAD_FAILED';
}

function ScreenMissing({ error, resetErrorBoundary }: FallbackProps) {
  if (!isMissingFile(error)) throw error;
  return (
    <Page>
      <PageHeading>This page could not be opened</PageHeading>
      <Card>
        <ErrorState message={UNREACHABLE_MESSAGE} onRetry={resetErrorBoundary} />
      </Card>
    </Page>
  );
}
