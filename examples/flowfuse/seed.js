// The accounts that are there before any test. Their addresses are not of the test's choice.
export const PASSWORD = 'correct horse battery';

export const PEOPLE = {
  alice: { username: 'alice', name: 'Alice Skywalker', email: 'alice@example.com', admin: true },
  bob: { username: 'bob', name: 'Bob Solo', email: 'bob@example.com' },
  dave: { username: 'dave', name: 'Dave Vader', email: 'dave@example.com' },
  eddy: { username: 'eddy', name: 'Edward Organa', email: 'eddy@example.com' },
};

/** The team that Alice owns. FlowFuse numbers the roles. */
export const TEAM = { name: 'Rebels', slug: 'rebels', owner: 50, member: 30 };
