import { type FreshValues, iso, type Json, plainSample, type Sample, seconds, uuid } from '../sample.ts';

// The events of GitHub (https://docs.github.com/webhooks/webhook-events-and-payloads).

export const GITHUB: readonly Sample[] = [
  sample('push', 'Commits were pushed to a branch', (fresh) => {
    const [before, after] = [fresh.hex(40), fresh.hex(40)];
    const commit = {
      id: after,
      tree_id: fresh.hex(40),
      distinct: true,
      message: 'Mend the sign-up form',
      timestamp: iso(fresh),
      url: `https://github.com/octo-org/shop/commit/${after}`,
      author: AUTHOR,
      committer: AUTHOR,
      added: [],
      removed: [],
      modified: ['src/sign-up.ts'],
    };
    return {
      ref: 'refs/heads/main',
      before,
      after,
      repository: repository(fresh),
      pusher: { name: 'octocat', email: 'octocat@github.example' },
      sender: user('octocat', 583_231),
      created: false,
      deleted: false,
      forced: false,
      base_ref: null,
      compare: `https://github.com/octo-org/shop/compare/${before.slice(0, 12)}...${after.slice(0, 12)}`,
      commits: [commit],
      head_commit: commit,
    };
  }),
  sample('pull_request', 'A pull request was opened', (fresh) => {
    const base = 'https://api.github.com/repos/octo-org/shop';
    return {
      action: 'opened',
      number: 42,
      pull_request: {
        url: `${base}/pulls/42`,
        id: fresh.number(10),
        html_url: 'https://github.com/octo-org/shop/pull/42',
        number: 42,
        state: 'open',
        locked: false,
        title: 'Mend the sign-up form',
        user: user('octocat', 583_231),
        body: 'The button is enabled again.',
        created_at: iso(fresh),
        updated_at: iso(fresh),
        closed_at: null,
        merged_at: null,
        merge_commit_sha: null,
        assignees: [],
        requested_reviewers: [],
        labels: [],
        draft: false,
        head: { label: 'octo-org:sign-up', ref: 'sign-up', sha: fresh.hex(40), repo: repository(fresh) },
        base: { label: 'octo-org:main', ref: 'main', sha: fresh.hex(40), repo: repository(fresh) },
        author_association: 'MEMBER',
        merged: false,
        mergeable: null,
        comments: 0,
        commits: 1,
        additions: 3,
        deletions: 1,
        changed_files: 1,
      },
      repository: repository(fresh),
      sender: user('octocat', 583_231),
    };
  }),
  sample('ping', 'A webhook was created', (fresh) => ({
    zen: 'Keep it logically awesome.',
    hook_id: HOOK_ID,
    hook: {
      type: 'Repository',
      id: HOOK_ID,
      name: 'web',
      active: true,
      events: ['push', 'pull_request'],
      config: { content_type: 'json', insecure_ssl: '0', url: 'https://shop.example/github' },
      created_at: iso(fresh),
      updated_at: iso(fresh),
    },
    repository: repository(fresh),
    sender: user('octocat', 583_231),
  })),
];

const HOOK_ID = 292_430_182;
const REPOSITORY_ID = 186_853_002;
const AUTHOR = { name: 'The Octocat', email: 'octocat@github.example', username: 'octocat' };

function sample(name: string, about: string, body: (fresh: FreshValues) => Json): Sample {
  return plainSample(['github', 'GitHub-Hookshot/0000000'], name, about, body, (fresh) => [
    ['X-GitHub-Delivery', uuid(fresh)],
    ['X-GitHub-Event', name],
    ['X-GitHub-Hook-ID', String(HOOK_ID)],
    ['X-GitHub-Hook-Installation-Target-ID', String(REPOSITORY_ID)],
    ['X-GitHub-Hook-Installation-Target-Type', 'repository'],
  ]);
}

function user(login: string, id: number) {
  return {
    login,
    id,
    avatar_url: `https://avatars.githubusercontent.com/u/${id}?v=4`,
    url: `https://api.github.com/users/${login}`,
    html_url: `https://github.com/${login}`,
    type: 'User',
    site_admin: false,
  };
}

function repository(fresh: FreshValues) {
  return {
    id: REPOSITORY_ID,
    name: 'shop',
    full_name: 'octo-org/shop',
    private: false,
    owner: { ...user('octo-org', 6_811_672), type: 'Organization' },
    html_url: 'https://github.com/octo-org/shop',
    description: null,
    fork: false,
    url: 'https://api.github.com/repos/octo-org/shop',
    clone_url: 'https://github.com/octo-org/shop.git',
    created_at: '2019-05-15T15:19:25Z',
    pushed_at: seconds(fresh),
    default_branch: 'main',
    visibility: 'public',
  };
}
