import '@/styles/tokens.css';
import '@/styles/global.css';

import { Fragment, StrictMode, startTransition } from 'react';
import { createRoot } from 'react-dom/client';
import { BrowserRouter } from 'react-router-dom';
import { siteOptions } from '@/lib/api/queries';
import { isCardDocument, siteOfDocument } from '@/lib/documents';
import { takeNews } from '@/lib/news';
import { createQueryClient } from '@/lib/queryClient';
import { App } from './App';
import { prefetchScreen } from './routes';

const root = document.getElementById('root');
if (root === null) throw new Error('The page has no #root to draw in.');

const queryClient = createQueryClient();
// Every screen needs the brand: it comes with the document, or is asked for before the first one is drawn.
queryClient.setQueryData(siteOptions.queryKey, siteOfDocument());
void queryClient.prefetchQuery(siteOptions);
prefetchScreen(queryClient, window.location.pathname);

takeNews();

// Strict mode draws twice while developing, which the provider's script is not known to bear.
const Mode = isCardDocument() ? Fragment : StrictMode;

// As a transition, drawing the first screen leaves the browser time for what is pressed meanwhile.
startTransition(() =>
  createRoot(root).render(
    <Mode>
      <BrowserRouter>
        <App queryClient={queryClient} />
      </BrowserRouter>
    </Mode>,
  ),
);
