import '@/styles/tokens.css';
import '@/styles/global.css';

import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { BrowserRouter } from 'react-router-dom';
import { siteOptions } from '@/lib/api/queries';
import { createQueryClient } from '@/lib/queryClient';
import { App } from './App';

const root = document.getElementById('root');
if (root === null) throw new Error('The page has no #root to draw in.');

const queryClient = createQueryClient();
// Every screen needs the brand: ask before the first one is drawn.
void queryClient.prefetchQuery(siteOptions);

createRoot(root).render(
  <StrictMode>
    <BrowserRouter>
      <App queryClient={queryClient} />
    </BrowserRouter>
  </StrictMode>,
);
