"""The accounts of `make scale`, made by the database itself: as many rows as a site of that size has."""

from __future__ import annotations

# Each account has a subscription, every twelfth a second one; two invoices and payments; half of the accounts are read,
# and their invoices are rendered. One in thirty bills by the year, one in a hundred is in a trial, one in fifty paused,
# one in ten has left. What has been done stays: mails, webhooks, sign-ins, commands. `%(n)s` is the number of accounts.
STATEMENTS = (
    """
    INSERT INTO accounts_user (id, password, is_superuser, username, first_name, last_name, email, is_staff, is_active,
                               date_joined)
    SELECT i, '!' || md5(i::text), false, 'subscriber-' || md5(i::text), '', '', '', false, true, now()
    FROM generate_series(1, %(n)s) i
    """,
    """
    INSERT INTO accounts_account (id, email, first_name, last_name, birth_month, birth_day, created_at, user_id)
    SELECT i, 'user' || i || '@example.com', 'First' || i %% 5000, 'Last' || i %% 20000, 0, 0,
           now() - (i %% 700) * interval '1 day', i
    FROM generate_series(1, %(n)s) i
    """,
    """
    INSERT INTO billing_customer (id, provider_id, resource_version, payload, synced_at, deleted, email, account_id)
    SELECT i, 'cust_' || md5(i::text), 1, jsonb_build_object('email', 'user' || i || '@example.com', 'first_name',
           'First' || i %% 5000, 'last_name', 'Last' || i %% 20000, 'promotional_credits', 0, 'excess_payments', 0,
           'preferred_currency_code', 'USD', 'primary_payment_source_id', 'pm_' || i),
           now(), false, 'user' || i || '@example.com', i
    FROM generate_series(1, %(n)s) i
    """,
    """
    INSERT INTO billing_subscription (id, provider_id, resource_version, payload, synced_at, deleted, item_price_id,
                                      status, created_at, customer_id)
    SELECT s.i, s.provider_id, 1, s.payload, now(), false, s.item_price_id, s.status, s.created_at, s.customer_id
    FROM (
        SELECT i, 'sub_' || md5(i::text) AS provider_id,
               CASE WHEN i %% 30 = 0 THEN 'faith-family-plan-USD-Yearly' ELSE 'faith-family-plan-USD-Monthly' END
                   AS item_price_id,
               st AS status, now() - (i %% 700) * interval '1 day' AS created_at,
               CASE WHEN i <= %(n)s THEN i ELSE (i - %(n)s) * 12 END AS customer_id,
               jsonb_build_object('amount', 699, 'billing_period', 1, 'currency_code', 'USD', 'billing_period_unit',
                   CASE WHEN i %% 30 = 0 THEN 'year' ELSE 'month' END,
                   'current_term_end', CASE WHEN st IN ('active', 'paused') THEN bills END,
                   'next_billing_at', CASE WHEN st IN ('active', 'in_trial') THEN bills END,
                   'trial_end', CASE WHEN st = 'in_trial' THEN bills END,
                   'coupons', CASE WHEN i > %(n)s THEN '[{"coupon_id": "BUNDLE-2-10"}]'::jsonb ELSE '[]'::jsonb END,
                   'has_extras', false, 'has_scheduled_changes', false, 'pause_date', NULL, 'start_date', NULL,
                   'cancelled_at', NULL, 'activated_at', 1700000000, 'exchange_rate', 1.0) AS payload
        FROM generate_series(1, %(n)s + %(n)s / 12) i,
             LATERAL (SELECT CASE WHEN i %% 100 = 7 THEN 'in_trial' WHEN i %% 50 = 3 THEN 'paused'
                                  WHEN i %% 10 = 9 THEN 'cancelled' ELSE 'active' END AS st,
                             extract(epoch FROM now())::bigint + (i %% 30) * 86400
                             + CASE WHEN i %% 30 = 0 THEN (i %% 365) * 86400 ELSE 0 END AS bills) x
    ) s
    """,
    """
    INSERT INTO billing_pauseschedule (attempts, state, pause_date, resume_date, created_at, closed_because,
                                       failed_attempts, last_error, declines, declined_with, subscription_id)
    SELECT 0, 'paused', now() - interval '5 days', now() + (1 + s.id / 50 %% 25) * interval '1 day', now(), '',
           0, '', 0, '', s.id
    FROM billing_subscription s WHERE s.status = 'paused'
    """,
    """
    INSERT INTO billing_invoice (id, provider_id, resource_version, payload, synced_at, deleted, issued_at, status,
                                 customer_id)
    SELECT i, i::text, 1, jsonb_build_object('total', 699, 'status', 'paid', 'date', 1700000000 + i %% 50000000,
           'currency_code', 'USD', 'line_items', jsonb_build_array(jsonb_build_object('subscription_id',
           'sub_' || md5(((i - 1) / 2 + 1)::text), 'amount', 699, 'description', 'Faith & Family',
           'date_from', 1700000000, 'date_to', 1702600000)), 'linked_payments',
           jsonb_build_array(jsonb_build_object('txn_id', 'txn_' || i))),
           now() - (i %% 700) * interval '1 day', false, now() - (i %% 700) * interval '1 day', 'paid', (i - 1) / 2 + 1
    FROM generate_series(1, %(n)s * 2) i
    """,
    """
    INSERT INTO billing_transaction (id, provider_id, resource_version, type, status, made_at, payload, synced_at,
                                     deleted, customer_id)
    SELECT i, 'txn_' || i, 1, 'payment', 'success', now() - (i %% 700) * interval '1 day',
           jsonb_build_object('amount', 699, 'type', 'payment', 'status', 'success', 'date',
           1700000000 + i %% 50000000, 'payment_source_id', 'pm_' || ((i - 1) / 2 + 1)), now(), false, (i - 1) / 2 + 1
    FROM generate_series(1, %(n)s * 2) i
    """,
    """
    INSERT INTO billing_paymentsource (id, provider_id, resource_version, payload, synced_at, deleted, customer_id,
                                       last4)
    SELECT i, 'pm_' || i, 1, jsonb_build_object('type', 'card', 'status', 'valid', 'card', jsonb_build_object('brand',
           'visa', 'last4', lpad((i %% 10000)::text, 4, '0'))), now(), false, i, lpad((i %% 10000)::text, 4, '0')
    FROM generate_series(1, %(n)s) i
    """,
    """
    INSERT INTO billing_accountdocument (account_id, kind, body, content_version, built_at)
    SELECT i * 2, k, repeat('{"name": "document"}', 60), 1, now()
    FROM generate_series(1, %(n)s / 2) i, unnest(ARRAY['account', 'plans', 'invoices']) k
    """,
    """
    INSERT INTO billing_invoicepdf (attempts, version, state, file, error, created_at, invoice_id)
    SELECT 1, 1, 'ready', 'invoices/' || i.id || '.pdf', '', now(), i.id FROM billing_invoice i
    WHERE i.customer_id %% 2 = 0
    """,
    """
    INSERT INTO billing_nextbillestimate (attempts, subscription_version, customer_version, content_version, bill,
                                          state, subscription_id)
    SELECT 1, 1, 1, 1, NULL, 'known', s.id FROM billing_subscription s WHERE s.customer_id %% 2 = 0
    """,
    """
    INSERT INTO accounts_accountevent (at, kind, text, actor, recorded_at, account_id)
    SELECT now() - (i %% 700) * interval '1 day', 'bill_paid', 'Receipt for Faith & Family: $6.99', 'system', now(),
           (i - 1) / 2 + 1
    FROM generate_series(1, %(n)s * 2) i
    """,
    """
    INSERT INTO accounts_outgoingmail (attempts, kind, category, "to", context, message_id, state, last_error,
                                       created_at, expires_at, sent_at, account_id, dedupe_key)
    SELECT 1, CASE WHEN i %% 2 = 0 THEN 'notice' ELSE 'payment' END, '', 'user' || ((i - 1) / 2 + 1) || '@example.com',
           '{"title": "Receipt"}'::jsonb, gen_random_uuid(), 'sent', '', now() - (i %% 390) * interval '1 day',
           CASE WHEN i %% 2 = 0 THEN now() - (i %% 390) * interval '1 day' END, now(), (i - 1) / 2 + 1, 'scale:' || i
    FROM generate_series(1, %(n)s * 2) i
    """,
    """
    INSERT INTO billing_webhookevent (attempts, event_id, event_type, occurred_at, source, payload, owner, state,
                                      received_at, unread, processed_at, error)
    SELECT 1, 'ev_' || i, 'subscription_renewed', now(), 'webhook', '{"names": {}}'::jsonb, 'cust_' || md5(i::text),
           'processed', now() - (i %% 90) * interval '1 day', '{}'::jsonb, now(), ''
    FROM generate_series(1, %(n)s) i
    """,
    """
    INSERT INTO accounts_signinevent (at, kind, email, network, agent, account_id)
    SELECT now() - (i %% 390) * interval '1 day', CASE WHEN i %% 2 = 0 THEN 'sent' ELSE 'ok' END,
           'user' || i || '@example.com', '10.0.0.0', 'Firefox', i
    FROM generate_series(1, %(n)s) i
    """,
    """
    INSERT INTO billing_command (attempts, id, key, kind, actor, state, steps, shown, error_code, created_at,
                                 first_sent_at, finished_at, account_id)
    SELECT 1, gen_random_uuid(), 'scale-' || i, 'schedule_pause', 'subscriber', 'succeeded', '[]'::jsonb, '{}'::jsonb,
           '', now() - (i %% 390) * interval '1 day', now() - (i %% 390) * interval '1 day',
           now() - (i %% 390) * interval '1 day', i
    FROM generate_series(1, %(n)s / 2) i
    """,
    """
    INSERT INTO billing_revenuemovement (at, kind, customer_id, subscription_id, currency, amount, first_at)
    SELECT s.created_at, 'new', 'cust_' || md5(s.customer_id::text), s.provider_id, 'USD', 699, s.created_at
    FROM billing_subscription s WHERE s.status <> 'in_trial'
    """,
    """
    INSERT INTO billing_revenuemovement (at, kind, customer_id, subscription_id, currency, amount, first_at)
    SELECT s.created_at + (now() - s.created_at) * ((s.id / 10 %% 365) / 365.0),
           CASE WHEN s.status = 'paused' THEN 'pause' ELSE 'churn' END,
           'cust_' || md5(s.customer_id::text), s.provider_id, 'USD', -699, s.created_at
    FROM billing_subscription s WHERE s.status IN ('paused', 'cancelled')
    """,
    """
    INSERT INTO billing_churnevent (at, kind, subscription_id, service, plan_id, brand, reason, satisfaction, usage,
                                    offer, account_id)
    SELECT s.created_at + (now() - s.created_at) * ((s.id / 10 %% 365) / 365.0), s.status, s.provider_id,
           'faith-family', 'faith-family-plan', 'faith-family', '', '', '', '', s.customer_id
    FROM billing_subscription s WHERE s.status IN ('paused', 'cancelled')
    """,
)
