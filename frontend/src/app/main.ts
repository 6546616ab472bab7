import '@/styles/tokens.css';
import '@/styles/global.css';
import '@/styles/start.css';

import { prefetchScreen } from '@/app/routing/routes';
import { forgetStartedReads } from '@/lib/api/firstReads';
import { siteOptions } from '@/lib/api/queries';
import { createQueryClient } from '@/lib/api/queryClient';
import { applyHandover } from '@/lib/page/handover';
import { isLinkFollowed } from '@/lib/page/pageLoads';
import { readAccountView, readSiteFromPage } from '@/lib/page/pageSettings';
import { watchTraversals } from '@/lib/page/traversals';
import { applySite } from '@/lib/site';
import { useAuth } from '@/stores/auth';
import { renderApp } from './renderApp';

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

// Evaluating the screen and the app takes a phone a while, so each is a task of its own, between
// which the browser may handle input.
setTimeout(() => {
  prefetchScreen(queryClient, window.location.pathname);
  forgetStartedReads();
});
setTimeout(() => renderApp(queryClient, isFollowed));
