import { type QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { useEffect } from 'react';
import { ErrorBoundary } from 'react-error-boundary';
import { useLocation } from 'react-router-dom';

import { BrandProvider } from '@/app/BrandProvider';
import { ErrorPage } from '@/app/ErrorPage';
import { GlobalParts } from '@/app/GlobalParts';
import { AppRoutes } from '@/app/routes';
import { forgetOnSignOut } from '@/app/session';
import { followOtherTabs } from '@/stores/auth';

/** Everything below the router. Going elsewhere leaves an error page behind. */
export function App({ queryClient }: { queryClient: QueryClient }) {
  const { pathname } = useLocation();
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
