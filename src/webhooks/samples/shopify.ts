import { type FreshValues, iso, type Json, plainSample, type Sample, uuid } from '../sample.ts';

// The events of Shopify's Admin API (https://shopify.dev/docs/api/webhooks).

const API_VERSION = '2025-07';
const SHOP = 'mailcap-test.myshopify.com';

export const SHOPIFY: readonly Sample[] = [
  sample('orders/create', 'A customer placed an order', (fresh) => order(fresh, 'pending')),
  sample('orders/paid', 'An order was paid', (fresh) => order(fresh, 'paid')),
  sample('app/uninstalled', 'A shop removed the app', (fresh) => ({
    id: 548_380_009,
    name: 'Mailcap Test Shop',
    email: 'owner@shop.example',
    domain: null,
    country: 'DE',
    currency: 'EUR',
    myshopify_domain: SHOP,
    plan_name: 'partner_test',
    created_at: '2019-05-15T15:19:25Z',
    updated_at: iso(fresh),
  })),
];

function order(fresh: FreshValues, financialStatus: string): Json {
  const id = fresh.number(13);
  const price = '199.00';
  const money = { amount: price, currency_code: 'EUR' };
  const set = { shop_money: money, presentment_money: money };
  return {
    id,
    admin_graphql_api_id: `gid://shopify/Order/${id}`,
    buyer_accepts_marketing: false,
    cancelled_at: null,
    confirmed: true,
    contact_email: 'ada@shop.example',
    created_at: iso(fresh),
    currency: 'EUR',
    current_total_price: price,
    email: 'ada@shop.example',
    financial_status: financialStatus,
    fulfillment_status: null,
    name: '#1001',
    note: null,
    number: 1,
    order_number: 1001,
    processed_at: iso(fresh),
    subtotal_price: price,
    tags: '',
    test: true,
    token: fresh.id('', 32),
    total_price: price,
    total_price_set: set,
    total_tax: '0.00',
    updated_at: iso(fresh),
    customer: {
      id: 115_310_627_314_723,
      email: 'ada@shop.example',
      first_name: 'Ada',
      last_name: 'Lovelace',
      state: 'disabled',
      verified_email: true,
    },
    line_items: [
      {
        id: fresh.number(13),
        name: 'Analytical engine',
        price,
        price_set: set,
        product_id: 788_032_119_674_292,
        quantity: 1,
        requires_shipping: true,
        sku: 'ENGINE-1',
        title: 'Analytical engine',
        variant_id: null,
      },
    ],
    shipping_address: {
      first_name: 'Ada',
      last_name: 'Lovelace',
      address1: '12 St James Square',
      city: 'London',
      zip: 'SW1Y 4JH',
      country: 'United Kingdom',
      country_code: 'GB',
    },
    refunds: [],
  };
}

function sample(name: string, about: string, body: (fresh: FreshValues) => Json): Sample {
  return plainSample(['shopify', 'Shopify-Captain-Hook'], name, about, body, (fresh) => [
    ['X-Shopify-Topic', name],
    ['X-Shopify-Shop-Domain', SHOP],
    ['X-Shopify-API-Version', API_VERSION],
    ['X-Shopify-Webhook-Id', uuid(fresh)],
    ['X-Shopify-Event-Id', uuid(fresh)],
    ['X-Shopify-Triggered-At', iso(fresh)],
    ['X-Shopify-Test', 'true'],
  ]);
}
