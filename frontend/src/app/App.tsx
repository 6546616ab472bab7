import { type QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { useEffect } from 'react';
import { ErrorBoundary } from 'react-error-boundary';
import { useLocation } from 'react-router-dom';
import { GlobalFeedback } from '@/app/notices/GlobalFeedback';
import { ViewBanner } from '@/app/notices/ViewBanner';
import { PageGuard } from '@/app/routing/PageGuard';
import { AppRoutes } from '@/app/routing/routes';
import { useScrollToTop } from '@/app/routing/useScrollToTop';
import { queryKeys } from '@/lib/api/queries';
import { canShowInThisPage } from '@/lib/page/pageLoads';
import { followOtherTabs, onSessionChange } from '@/stores/auth';
import { CanShowInPageContext } from '@/ui/navigation/AppLink';
import { BrandProvider } from './BrandProvider';
import { ErrorPage } from './ErrorPage';
import { SupportWidget } from './SupportWidget';

interface AppProps {
  queryClient: QueryClient;
  /** Whether a screen of the app led to this page load. */
  isFollowed?: boolean;
}

/** Everything below the router. Navigating away resets the error page. */
export function App({ queryClient, isFollowed }: AppProps) {
  const { pathname } = useLocation();
  useScrollToTop();
  useEffect(() => followOtherTabs(), []);
  useEffect(
    () => onSessionChange(() => queryClient.removeQueries({ queryKey: queryKeys.account.all })),
    [queryClient],
  );
  return (
    <>
      <ViewBanner />
      <ErrorBoundary FallbackComponent={ErrorPage} resetKeys={[pathname]}>
        <QueryClientProvider client={queryClient}>
          <BrandProvider isFollowed={isFollowed}>
            <CanShowInPageContext value={canShowInThisPage}>
              <PageGuard>
                <AppRoutes />
              </PageGuard>
            </CanShowInPageContext>
            <GlobalFeedback />
            <SupportWidget />
          </BrandProvider>
        </QueryClientProvider>
      </ErrorBoundary>
    </>
  );
}
