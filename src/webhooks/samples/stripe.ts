import { type FreshValues, type Json, type Sample, type SampleContent, seconds } from '../sample.ts';

// The events of Stripe's API, version 2025-03-31 (https://docs.stripe.com/api/events).

const API_VERSION = '2025-03-31.basil';

export const STRIPE: readonly Sample[] = [
  sample('checkout.session.completed', 'A customer paid in Checkout', (fresh) => ({
    id: fresh.id('cs_test_', 58),
    object: 'checkout.session',
    amount_subtotal: 2000,
    amount_total: 2000,
    cancel_url: 'https://shop.example/cancel',
    client_reference_id: null,
    created: seconds(fresh) - 60,
    currency: 'usd',
    customer: fresh.id('cus_', 14),
    customer_details: {
      address: { city: null, country: 'DE', line1: null, line2: null, postal_code: '10115', state: null },
      email: 'ada@shop.example',
      name: 'Ada Lovelace',
      phone: null,
      tax_exempt: 'none',
      tax_ids: [],
    },
    customer_email: null,
    expires_at: seconds(fresh) + 86_340,
    invoice: null,
    livemode: false,
    locale: 'en',
    metadata: { order_id: '6735' },
    mode: 'payment',
    payment_intent: fresh.id('pi_', 24),
    payment_method_types: ['card'],
    payment_status: 'paid',
    status: 'complete',
    subscription: null,
    success_url: 'https://shop.example/success?session_id={CHECKOUT_SESSION_ID}',
    total_details: { amount_discount: 0, amount_shipping: 0, amount_tax: 0 },
    url: null,
  })),
  sample('invoice.paid', 'An invoice of a subscription was paid', (fresh) => ({
    id: fresh.id('in_', 24),
    object: 'invoice',
    amount_due: 1900,
    amount_paid: 1900,
    amount_remaining: 0,
    attempt_count: 1,
    attempted: true,
    auto_advance: false,
    billing_reason: 'subscription_cycle',
    collection_method: 'charge_automatically',
    created: seconds(fresh) - 3_600,
    currency: 'usd',
    customer: fresh.id('cus_', 14),
    customer_email: 'ada@shop.example',
    customer_name: 'Ada Lovelace',
    hosted_invoice_url: 'https://invoice.stripe.com/i/acct_test/sample',
    lines: {
      object: 'list',
      data: [
        {
          id: fresh.id('il_', 24),
          object: 'line_item',
          amount: 1900,
          currency: 'usd',
          description: '1 × Pro (at $19.00 / month)',
          metadata: {},
          period: { end: seconds(fresh) + 2_592_000, start: seconds(fresh) },
          quantity: 1,
        },
      ],
      has_more: false,
      total_count: 1,
    },
    livemode: false,
    metadata: {},
    number: 'A1B2C3D4-0002',
    parent: {
      quote_details: null,
      subscription_details: { metadata: {}, subscription: fresh.id('sub_', 24) },
      type: 'subscription_details',
    },
    period_end: seconds(fresh),
    period_start: seconds(fresh) - 2_592_000,
    status: 'paid',
    subtotal: 1900,
    total: 1900,
  })),
  sample('customer.subscription.deleted', 'A subscription ended', (fresh) => ({
    id: fresh.id('sub_', 24),
    object: 'subscription',
    cancel_at_period_end: false,
    canceled_at: seconds(fresh),
    cancellation_details: { comment: null, feedback: 'too_expensive', reason: 'cancellation_requested' },
    collection_method: 'charge_automatically',
    created: seconds(fresh) - 7_776_000,
    currency: 'usd',
    customer: fresh.id('cus_', 14),
    ended_at: seconds(fresh),
    items: {
      object: 'list',
      data: [
        {
          id: fresh.id('si_', 14),
          object: 'subscription_item',
          current_period_end: seconds(fresh) + 1_209_600,
          current_period_start: seconds(fresh) - 1_382_400,
          price: { id: fresh.id('price_', 24), object: 'price', currency: 'usd', type: 'recurring', unit_amount: 1900 },
          quantity: 1,
        },
      ],
      has_more: false,
      total_count: 1,
    },
    livemode: false,
    metadata: {},
    start_date: seconds(fresh) - 7_776_000,
    status: 'canceled',
  })),
];

function sample(name: string, about: string, object: (fresh: FreshValues) => Json): Sample {
  return { name, sender: 'stripe', about, indent: 2, make: (fresh) => event(name, object(fresh), fresh) };
}

function event(type: string, object: Json, fresh: FreshValues): SampleContent {
  return {
    body: {
      id: fresh.id('evt_', 24),
      object: 'event',
      api_version: API_VERSION,
      created: seconds(fresh),
      data: { object },
      livemode: false,
      pending_webhooks: 1,
      request: { id: null, idempotency_key: null },
      type,
    },
    headers: [
      ['User-Agent', 'Stripe/1.0 (+https://stripe.com/docs/webhooks)'],
      ['Content-Type', 'application/json; charset=utf-8'],
      ['Accept', '*/*; q=0.5, application/xml'],
    ],
  };
}
