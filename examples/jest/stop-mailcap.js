module.exports = () => globalThis.mailcap.close();
