import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { Link, MemoryRouter, Route, Routes } from 'react-router-dom';
import { expect, it } from 'vitest';

import { PageContext, PageHeading, type PageOfHeadings } from './PageHeading';

const LOADED_BY_BROWSER = () => ({ current: { path: null } });
const LOADED_BY_APP = () => ({ current: null });

/** A page with a screen whose heading changes when its data has come. */
function PageOfScreens({
  browserLoad,
  isLoaded = false,
}: Pick<PageOfHeadings, 'browserLoad'> & { isLoaded?: boolean }) {
  return (
    <PageContext value={{ siteName: 'Kids', browserLoad }}>
      <MemoryRouter>
        <Link to="/billing">Go</Link>
        <Routes>
          <Route
            path="/"
            element={
              isLoaded ? (
                <PageHeading key="loaded">Your card</PageHeading>
              ) : (
                <PageHeading key="loading">Home</PageHeading>
              )
            }
          />
          <Route path="/billing" element={<PageHeading title="Bills">Your bills</PageHeading>} />
        </Routes>
      </MemoryRouter>
    </PageContext>
  );
}

it('sets the document title and takes the focus after navigation', async () => {
  render(<PageOfScreens browserLoad={LOADED_BY_BROWSER()} />);
  expect(document.title).toBe('Home · Kids');
  expect(screen.getByRole('heading', { name: 'Home' })).not.toHaveFocus();

  await userEvent.click(screen.getByRole('link', { name: 'Go' }));
  expect(screen.getByRole('heading', { name: 'Your bills' })).toHaveFocus();
  expect(document.title).toBe('Bills · Kids');
});

it('leaves the focus alone on the screen that the browser loads, also with its data', () => {
  const browserLoad = LOADED_BY_BROWSER();
  const { rerender } = render(<PageOfScreens browserLoad={browserLoad} />);
  rerender(<PageOfScreens browserLoad={browserLoad} isLoaded />);
  expect(screen.getByRole('heading', { name: 'Your card' })).not.toHaveFocus();
});

it('takes the focus on a page that another screen led to, also with its data', () => {
  const browserLoad = LOADED_BY_APP();
  const { rerender } = render(<PageOfScreens browserLoad={browserLoad} />);
  expect(screen.getByRole('heading', { name: 'Home' })).toHaveFocus();
  rerender(<PageOfScreens browserLoad={browserLoad} isLoaded />);
  expect(screen.getByRole('heading', { name: 'Your card' })).toHaveFocus();
});
