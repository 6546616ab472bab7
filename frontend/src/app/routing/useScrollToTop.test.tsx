import { act, renderHook } from '@testing-library/react';
import type { ReactNode } from 'react';
import { MemoryRouter, useNavigate } from 'react-router-dom';
import { expect, it, vi } from 'vitest';

import { useScrollToTop } from './useScrollToTop';

it('scrolls a new screen to its top, but not when going back', () => {
  const scrollTo = vi.spyOn(window, 'scrollTo').mockImplementation(() => undefined);
  const wrapper = ({ children }: { children: ReactNode }) => (
    <MemoryRouter>{children}</MemoryRouter>
  );
  const { result } = renderHook(
    () => {
      useScrollToTop();
      return useNavigate();
    },
    { wrapper },
  );

  act(() => void result.current('/billingHistory'));
  expect(scrollTo).toHaveBeenCalledExactlyOnceWith(0, 0);
  act(() => void result.current(-1));
  expect(scrollTo).toHaveBeenCalledOnce();
});
