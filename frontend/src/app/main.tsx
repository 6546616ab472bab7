import '@/styles/tokens.css';
import '@/styles/global.css';
import '@/styles/start.css';

import { Fragment, StrictMode, startTransition } from 'react';
import { createRoot } from 'react-dom/client';
import { BrowserRouter } from 'react-router-dom';
import { prefetchScreen } from '@/app/routing/routes';
import { forgetStartedReads } from '@/lib/api/firstReads';
import { siteOptions } from '@/lib/api/queries';
import { createQueryClient } from '@/lib/api/queryClient';
import { applyHandover } from '@/lib/page/handover';
import { isLinkFollowed } from '@/lib/page/pageLoads';
import {
  pageAllowsProviderScript,
  readAccountView,
  readSiteFromPage,
} from '@/lib/page/pageSettings';
import { watchTraversals } from '@/lib/page/traversals';
import { applySite } from '@/lib/site';
import { useAuth } from '@/stores/auth';
import { App } from './App';

// Before the first request.
if (readAccountView() !== null) useAuth.getState().seeAccount();

const queryClient = createQueryClient();
// Every screen needs the brand. It comes with the page, or else is requested before the first
// render.
const site = readSiteFromPage();
if (site) queryClient.setQueryData(siteOptions.queryKey, applySite(site));
void queryClient.prefetchQuery(siteOptions);

const isFollowed = applyHandover() || isLinkFollowed();
watchTraversals();

const root = document.getElementById('root');
if (root === null) throw new Error('The page has no #root element.');
// Strict mode renders twice in development, which the provider's script may not support.
const Mode = pageAllowsProviderScript() ? Fragment : StrictMode;

// Tasks of their own, between which the browser may handle input.
setTimeout(() => {
  prefetchScreen(queryClient, window.location.pathname);
  forgetStartedReads();
});
setTimeout(() =>
  // As a transition, the first render can be interrupted by user input.
  startTransition(() =>
    createRoot(root).render(
      <Mode>
        <BrowserRouter>
          <App queryClient={queryClient} isFollowed={isFollowed} />
        </BrowserRouter>
      </Mode>,
    ),
  ),
);
