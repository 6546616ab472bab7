import { QueryClientProvider } from '@tanstack/react-query';
import { render, screen } from '@testing-library/react';
import { HttpResponse, http } from 'msw';
import { afterEach, describe, expect, it } from 'vitest';
import { createQueryClient } from '@/lib/api/queryClient';
import { billingNow } from '@/lib/clock';
import { formatDate } from '@/lib/formats';
import { applySite } from '@/lib/site';
import { makeSite } from '@/testing/fixtures';
import { server } from '@/testing/server';
import { BrandProvider } from './BrandProvider';

const HOUR = 3600;

/** Draws its dates once, as a screen does whose data is there already. */
const drawn: string[] = [];
function DrawnOnce() {
  drawn.push(formatDate('2026-09-06T03:30:00Z'), formatDate(billingNow()));
  return <p>drawn</p>;
}

afterEach(() => {
  drawn.length = 0;
  applySite(makeSite());
});

describe('the first drawing', () => {
  it('has the dates of the site’s zone and clock', async () => {
    const clockOffset = 400 * 24 * HOUR;
    server.use(
      http.get('*/api/site', () =>
        HttpResponse.json(makeSite({ timeZone: 'Asia/Tokyo', clockOffset })),
      ),
    );
    render(
      <QueryClientProvider client={createQueryClient()}>
        <BrandProvider>
          <DrawnOnce />
        </BrandProvider>
      </QueryClientProvider>,
    );
    expect(await screen.findByText('drawn')).toBeVisible();
    const moved = formatDate(new Date(Date.now() + clockOffset * 1000));
    expect(drawn.slice(0, 2)).toEqual(['September 6, 2026', moved]);
  });
});
