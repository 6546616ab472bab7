import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { Link, MemoryRouter, Route, Routes } from 'react-router-dom';
import { expect, it } from 'vitest';

import { PageContext, PageHeading } from './PageHeading';

it('sets the document title and takes the focus after navigation', async () => {
  render(
    <PageContext value={{ siteName: 'Kids', headingsShown: { current: 0 } }}>
      <MemoryRouter>
        <Link to="/billing">Go</Link>
        <Routes>
          <Route path="/" element={<PageHeading>Home</PageHeading>} />
          <Route path="/billing" element={<PageHeading title="Bills">Your bills</PageHeading>} />
        </Routes>
      </MemoryRouter>
    </PageContext>,
  );
  expect(document.title).toBe('Home · Kids');
  expect(screen.getByRole('heading', { name: 'Home' })).not.toHaveFocus();

  await userEvent.click(screen.getByRole('link', { name: 'Go' }));
  expect(screen.getByRole('heading', { name: 'Your bills' })).toHaveFocus();
  expect(document.title).toBe('Bills · Kids');
});
