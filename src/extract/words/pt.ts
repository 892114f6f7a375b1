import type { Language } from './language.ts';

export const portuguese: Language = {
  code: 'código*|codigo*|pin|token|chave',
  oneTime:
    'código de segurança|código de acesso|código de uso único|código de entrada|senha de uso único|senha única|código otp|token otp|código temporário',
  password: 'senha*|palavra-passe|palavra passe|palavra-chave|palavra chave',
  verify: 'verific*|confirm*|ativ*|valid*|autentic*|verifiq*|active a|active o|activar|activação|active sua|active seu',
  signIn: 'entrar|login|iniciar sessão|início de sessão|acessar|fazer login|inscre*|cadastr*|logar',
  reset:
    'redefin*|recuper*|repor|reposição|nova senha|nova palavra-passe|alterar a senha|alterar sua senha|esquece*|repor a|alteração da senha|alteração de senha|alteração da palavra-passe|alteração de palavra-passe|alterar a palavra-passe|mudar a senha|mudar sua senha|alterar senha|trocar a senha|trocar senha|restaurar|redefinição',
  invite: 'convite*|convid*|aceitar|juntar-se|participar|aceit*|junte-se|reconvi*|reinvit*',
  unsubscribe:
    'cancelar inscrição|cancelar a inscrição|descadastr*|cancelar subscrição|configurações de notificaç*|preferências de notificaç*|definições de notificaç*|deixar de receber|parar de receber|anular a subscrição|anular subscrição|cancelar a subscrição|cancelar a assinatura|cancelar assinatura',
  enter: 'digite|digitar|insira*|inserir|introduza|introduzir|use|usar|utilize|informe',
  expires: 'expira*|válido|validade',
  number:
    'pedido*|encomenda*|fatura*|referência*|número de cliente|código de cliente|conta|rastreio|rastreamento|código postal|cep|telefone*|tel|valor|total|reserva*|nif|cnpj|cpf|protocolo|contrato|produto|código de barras|número de série|código de erro',
  offer: 'código promocional|cupom*|cupão|desconto*|vale',
  unlock: 'desbloqu*',
  decline: 'recus*|rejeit*|declin*|revog*',
  look: 'revis*|confer*',
  signUp: 'registr*|registo*|regist*|inscri*|inscrev*|inscrib*|cadastr*|criar conta|criar uma conta',
  link: 'link*|ligação|hiperligação',
  account: 'conta|contas|utilizador*|usuári*',
  address: 'correio*|e-mail*|mail*',
  or: 'ou',
  here: 'aqui|clique aqui|clica aqui|carregue aqui|este link|continuar|próximo|seguinte',
  is: 'é',
  numberLabel: 'nº|número',
  travel: 'reserva*',
  contact: 'cep',
  retired: 'expirou',
  purpose: 'conta|reserva',
  once: 'única|único|de uso único|de utilização única|de uso unico',
};
