import { QueryClient, QueryClientProvider, useQuery } from '@tanstack/react-query';
import { createElement } from 'react';
import { createRoot } from 'react-dom/client';
import { BrowserRouter, Route, Routes } from 'react-router-dom';
import { create } from 'zustand';

const useName = create(() => ({ name: 'portal' }));

function Page() {
  const name = useName((state) => state.name);
  const { data } = useQuery({ queryKey: ['page'], queryFn: () => name });
  return data ?? name;
}

createRoot(document.getElementById('root')).render(
  createElement(
    QueryClientProvider,
    { client: new QueryClient() },
    createElement(
      BrowserRouter,
      null,
      createElement(
        Routes,
        null,
        createElement(Route, { path: '*', element: createElement(Page) }),
      ),
    ),
  ),
);
