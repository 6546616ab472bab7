import { screen, waitFor } from '@testing-library/react';
import { Link } from 'react-router-dom';
import { expect, it } from 'vitest';

import { useModal } from '@/stores/modal';
import { renderScreen } from '@/testing/renderScreen';
import { GlobalModal } from './GlobalModal';

it('closes on navigation', async () => {
  const { user } = renderScreen(
    <>
      <Link to="/account/elsewhere">Elsewhere</Link>
      <GlobalModal />
    </>,
    { at: '/account/methods', route: '/account/*' },
  );
  useModal.getState().show({ title: 'Remove?', message: 'It goes.', onConfirm: () => undefined });
  const dialog = await screen.findByRole('dialog', { name: 'Remove?' });
  await user.click(screen.getByText('Elsewhere'));
  await waitFor(() => expect(dialog).not.toHaveAttribute('open'));
  expect(useModal.getState().open).toBe(false);
});
