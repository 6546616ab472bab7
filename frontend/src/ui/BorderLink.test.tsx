import { fireEvent, render, screen } from '@testing-library/react';
import { MemoryRouter } from 'react-router-dom';
import { expect, it } from 'vitest';

import { BorderLink, DocumentContext } from '@/ui/BorderLink';

const belongsHere = (path: string) => !path.startsWith('/there');

it.each([
  ['/here?a=1', true],
  ['/there?a=1', false],
  [{ pathname: '/there', search: '?a=1' }, false],
])('leads to %s within the page: %s', (to, within) => {
  render(
    <MemoryRouter>
      <DocumentContext value={belongsHere}>
        <BorderLink to={to}>Go</BorderLink>
      </DocumentContext>
    </MemoryRouter>,
  );
  let isTaken: boolean | undefined;
  const look = (click: Event) => {
    isTaken = click.defaultPrevented;
    click.preventDefault(); // jsdom cannot load another page
  };
  document.addEventListener('click', look, { once: true });
  fireEvent.click(screen.getByRole('link'), { button: 0 });
  expect(isTaken).toBe(within);
});
