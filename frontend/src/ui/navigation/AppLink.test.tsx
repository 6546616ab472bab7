import { fireEvent, render, screen } from '@testing-library/react';
import { MemoryRouter } from 'react-router-dom';
import { expect, it } from 'vitest';

import { AppLink, CanShowInPageContext } from './AppLink';

const belongsHere = (path: string) => !path.startsWith('/there');

it.each([
  ['/here?a=1', true],
  ['/there?a=1', false],
  [{ pathname: '/there', search: '?a=1' }, false],
])('navigates to %s within the page: %s', (to, isInApp) => {
  render(
    <MemoryRouter>
      <CanShowInPageContext value={belongsHere}>
        <AppLink to={to}>Go</AppLink>
      </CanShowInPageContext>
    </MemoryRouter>,
  );
  let isHandled: boolean | undefined;
  const recordClick = (click: Event) => {
    isHandled = click.defaultPrevented;
    click.preventDefault(); // jsdom cannot load another page
  };
  document.addEventListener('click', recordClick, { once: true });
  fireEvent.click(screen.getByRole('link'), { button: 0 });
  expect(isHandled).toBe(isInApp);
});
