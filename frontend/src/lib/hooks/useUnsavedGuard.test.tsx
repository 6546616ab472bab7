import { render, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { BrowserRouter, Link, Route, Routes } from 'react-router-dom';
import { beforeAll, describe, expect, it } from 'vitest';

import { watchTraversals } from '@/lib/page/traversals';
import { useUnsavedGuard } from './useUnsavedGuard';

function Form({ hasUnsaved }: { hasUnsaved: boolean }) {
  const { isHolding, stay, leave } = useUnsavedGuard(hasUnsaved);
  return (
    <>
      <h1>Form</h1>
      <Link to="/next">Next</Link>
      {isHolding && (
        <>
          <button type="button" onClick={stay}>
            Stay
          </button>
          <button type="button" onClick={leave}>
            Leave
          </button>
        </>
      )}
    </>
  );
}

function App({ hasUnsaved }: { hasUnsaved: boolean }) {
  return (
    <BrowserRouter>
      <Routes>
        <Route path="/start" element={<Link to="/form">Start</Link>} />
        <Route path="/form" element={<Form hasUnsaved={hasUnsaved} />} />
        <Route path="/next" element={<h1>Next screen</h1>} />
      </Routes>
    </BrowserRouter>
  );
}

/** Opens the form from another screen, so that there is one to go back to. */
async function openForm({ hasUnsaved }: { hasUnsaved: boolean }) {
  window.history.replaceState(null, '', '/start');
  const view = render(<App hasUnsaved={hasUnsaved} />);
  const user = userEvent.setup();
  await user.click(screen.getByText('Start'));
  return { ...view, user };
}

/** Whether the browser would ask before it reloads the page. */
function browserAsks(): boolean {
  return !window.dispatchEvent(new Event('beforeunload', { cancelable: true }));
}

describe('unsaved entries', () => {
  beforeAll(watchTraversals);

  it('hold back the Back button until the visitor chooses to leave', async () => {
    const { user } = await openForm({ hasUnsaved: true });
    window.history.back();
    await user.click(await screen.findByText('Stay'));
    await waitFor(() => expect(window.location.pathname).toBe('/form'));
    expect(screen.getByText('Form')).toBeVisible();

    window.history.back();
    await user.click(await screen.findByText('Leave'));
    expect(await screen.findByText('Start')).toBeVisible();
    expect(window.location.pathname).toBe('/start');
  });

  it('hold back links until the visitor chooses to leave', async () => {
    const { user } = await openForm({ hasUnsaved: true });
    await user.click(screen.getByText('Next'));
    expect(screen.getByText('Form')).toBeVisible();
    await user.click(screen.getByText('Leave'));
    expect(await screen.findByText('Next screen')).toBeVisible();
  });

  it('leave alone a link that opens in another tab', async () => {
    // jsdom cannot open one.
    window.addEventListener('click', (event) => event.preventDefault(), { once: true });
    const { user } = await openForm({ hasUnsaved: true });
    await user.keyboard('{Control>}');
    await user.click(screen.getByText('Next'));
    await user.keyboard('{/Control}');
    expect(screen.queryByText('Leave')).not.toBeInTheDocument();
  });

  it('make the browser ask before a reload', async () => {
    const { rerender } = await openForm({ hasUnsaved: true });
    expect(browserAsks()).toBe(true);
    rerender(<App hasUnsaved={false} />);
    expect(browserAsks()).toBe(false);
  });

  it('release what was held once they are saved', async () => {
    const { user, rerender } = await openForm({ hasUnsaved: true });
    await user.click(screen.getByText('Next'));
    expect(screen.getByText('Leave')).toBeVisible();
    rerender(<App hasUnsaved={false} />);
    expect(screen.queryByText('Leave')).not.toBeInTheDocument();
    await user.click(screen.getByText('Next'));
    expect(await screen.findByText('Next screen')).toBeVisible();
  });
});
