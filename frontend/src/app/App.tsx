import { type QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { useEffect } from 'react';
import { ErrorBoundary } from 'react-error-boundary';
import { useLocation } from 'react-router-dom';
import { followOtherTabs } from '@/stores/auth';
import { BrandProvider } from './BrandProvider';
import { ErrorPage } from './ErrorPage';
import { GlobalParts } from './GlobalParts';
import { AppRoutes } from './routes';
import { forgetOnSignOut } from './session';
import { useScrollToTop } from './useScrollToTop';

/** Everything below the router. Going elsewhere leaves an error page behind. */
export function App({ queryClient }: { queryClient: QueryClient }) {
  const { pathname } = useLocation();
  useScrollToTop();
  useEffect(() => followOtherTabs(), []);
  useEffect(() => forgetOnSignOut(queryClient), [queryClient]);
  return (
    <ErrorBoundary FallbackComponent={ErrorPage} resetKeys={[pathname]}>
      <QueryClientProvider client={queryClient}>
        <BrandProvider>
          <AppRoutes />
          <GlobalParts />
        </BrandProvider>
      </QueryClientProvider>
    </ErrorBoundary>
  );
}
