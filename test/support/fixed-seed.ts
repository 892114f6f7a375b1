import { configureGlobal } from 'fast-check';

// Property tests draw the same values in every run, so that a change does not fail by chance. At night they draw new
// ones. fast-check prints the seed of a failure.
configureGlobal({ seed: 20_261_122 });
