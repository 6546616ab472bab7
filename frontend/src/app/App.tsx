import { type QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { useEffect } from 'react';
import { ErrorBoundary } from 'react-error-boundary';
import { useLocation } from 'react-router-dom';
import { keys } from '@/lib/api/queries';
import { belongsHere } from '@/lib/documents';
import { followOtherTabs, whenSessionChanges } from '@/stores/auth';
import { DocumentContext } from '@/ui/BorderLink';
import { BrandProvider } from './BrandProvider';
import { DocumentGuard } from './DocumentGuard';
import { ErrorPage } from './ErrorPage';
import { GlobalParts } from './GlobalParts';
import { AppRoutes } from './routes';
import { SupportWidget } from './SupportWidget';
import { useScrollToTop } from './useScrollToTop';

/** Everything below the router. Going elsewhere leaves an error page behind. */
export function App({ queryClient }: { queryClient: QueryClient }) {
  const { pathname } = useLocation();
  useScrollToTop();
  useEffect(() => followOtherTabs(), []);
  useEffect(
    () => whenSessionChanges(() => queryClient.removeQueries({ queryKey: keys.account.all })),
    [queryClient],
  );
  return (
    <ErrorBoundary FallbackComponent={ErrorPage} resetKeys={[pathname]}>
      <QueryClientProvider client={queryClient}>
        <BrandProvider>
          <DocumentContext value={belongsHere}>
            <DocumentGuard>
              <AppRoutes />
            </DocumentGuard>
          </DocumentContext>
          <GlobalParts />
          <SupportWidget />
        </BrandProvider>
      </QueryClientProvider>
    </ErrorBoundary>
  );
}
