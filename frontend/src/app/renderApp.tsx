import type { QueryClient } from '@tanstack/react-query';
import { Fragment, StrictMode, startTransition } from 'react';
import { createRoot } from 'react-dom/client';
import { BrowserRouter } from 'react-router-dom';
import { pageAllowsProviderScript } from '@/lib/page/pageSettings';
import { App } from './App';

/**
 * Renders the app into the page.
 *
 * @param isFollowed Whether a screen of the app led to this page load.
 */
export function renderApp(queryClient: QueryClient, isFollowed: boolean): void {
  const root = document.getElementById('root');
  if (root === null) throw new Error('The page has no #root element.');
  // Strict mode renders twice in development, which the provider's script may not support.
  const Mode = pageAllowsProviderScript() ? Fragment : StrictMode;
  // As a transition, the first render can be interrupted by user input.
  startTransition(() =>
    createRoot(root).render(
      <Mode>
        <BrowserRouter>
          <App queryClient={queryClient} isFollowed={isFollowed} />
        </BrowserRouter>
      </Mode>,
    ),
  );
}
